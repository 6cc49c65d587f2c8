//! The folder in which a sandbox keeps what other terminals need.
//!
//! Reads what an earlier sandbox left there; returns a janitor for the new one.
//! Invariant: of two sandboxes in one folder, the second is refused while the first one runs.

use std::fs;
use std::path::Path;

use udn_lab::janitor::{self, Janitor};

use crate::error::SandboxError;
use crate::inventory::Inventory;

/// Makes the folder ours: nobody else runs in it, and nothing of an earlier sandbox is left.
pub(crate) fn take_over(folder: &Path) -> Result<Janitor, SandboxError> {
    if let Ok(Inventory { process, .. }) = Inventory::read(folder)
        && is_alive(process)
    {
        return Err(SandboxError::Running { process });
    }
    let book = folder.join("book");
    janitor::settle(&book).map_err(|source| SandboxError::Leftovers { source })?;
    let failed = |source| SandboxError::Folder { path: folder.to_owned(), source };
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let refused = |source| SandboxError::Janitor { source };
    let janitor = Janitor::hire_with_book(&book).map_err(refused)?;
    janitor.owe_folder(folder).map_err(refused)?;
    let inventory = Inventory { process: std::process::id(), ..Inventory::default() };
    inventory.write(folder)?;
    Ok(janitor)
}

fn is_alive(process: u32) -> bool {
    process != std::process::id() && Path::new(&format!("/proc/{process}")).exists()
}
