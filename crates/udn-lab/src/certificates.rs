//! Certificates for one rig: an authority, a server on the loopback address and a client.
//!
//! Reads a folder; returns the paths of the PEM files it wrote there.
//! Invariant: every rig has its own authority, so nothing outside the rig trusts them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// Names and addresses under which the servers of a rig are reached.
const SERVER_NAMES: &[&str] =
    &["localhost", "kubernetes", "kubernetes.default.svc", "127.0.0.1", "::1", "10.96.0.1"];

/// Why there are no certificates.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error("could not make the {role} certificate")]
    Make { role: &'static str, source: rcgen::Error },
    #[error("could not write {path}")]
    Write { path: PathBuf, source: io::Error },
}

/// A certificate and its private key, as PEM files.
#[derive(Debug, Clone)]
pub struct Identity {
    certificate: PathBuf,
    key: PathBuf,
}

impl Identity {
    /// The certificate's file.
    pub fn certificate(&self) -> &Path {
        &self.certificate
    }

    /// The private key's file, in PKCS #8 form.
    pub fn key(&self) -> &Path {
        &self.key
    }
}

/// The certificates of one rig.
#[derive(Debug, Clone)]
pub struct Certificates {
    authority: PathBuf,
    server: Identity,
    client: Identity,
}

impl Certificates {
    /// Makes new certificates in `folder`, which must exist and outlive their use.
    pub fn make(folder: &Path) -> Result<Self, CertificateError> {
        Self::make_for(folder, &[])
    }

    /// The same for servers that are reached under more names or addresses than the usual ones.
    pub fn make_for(folder: &Path, names: &[String]) -> Result<Self, CertificateError> {
        let (issuer, authority) = make_authority(folder)?;
        let usual = SERVER_NAMES.iter().map(|name| (*name).to_owned());
        let names: Vec<String> = usual.chain(names.iter().cloned()).collect();
        let server = make_identity(folder, &issuer, Role::Server, names)?;
        let client = make_identity(folder, &issuer, Role::Client, Vec::new())?;
        Ok(Self { authority, server, client })
    }

    /// The file of the authority's certificate.
    pub fn authority(&self) -> &Path {
        &self.authority
    }

    /// What a server on the loopback address shows.
    pub fn server(&self) -> &Identity {
        &self.server
    }

    /// What a client shows; Kubernetes would take it for an administrator.
    pub fn client(&self) -> &Identity {
        &self.client
    }
}

#[derive(Debug, Clone, Copy)]
enum Role {
    Server,
    Client,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    fn parameters(self, names: Vec<String>) -> Result<CertificateParams, rcgen::Error> {
        let mut parameters = CertificateParams::new(names)?;
        parameters.distinguished_name.push(DnType::CommonName, format!("udn-lab {}", self.name()));
        let usage = match self {
            Self::Server => ExtendedKeyUsagePurpose::ServerAuth,
            Self::Client => ExtendedKeyUsagePurpose::ClientAuth,
        };
        if matches!(self, Self::Client) {
            parameters.distinguished_name.push(DnType::OrganizationName, "system:masters");
        }
        parameters.extended_key_usages = vec![usage];
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        Ok(parameters)
    }
}

fn make_authority(folder: &Path) -> Result<(Issuer<'static, KeyPair>, PathBuf), CertificateError> {
    let failed = |source| CertificateError::Make { role: "authority", source };
    let key = KeyPair::generate().map_err(failed)?;
    let mut parameters = CertificateParams::new(Vec::new()).map_err(failed)?;
    parameters.distinguished_name.push(DnType::CommonName, "udn-lab authority");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let certificate = parameters.self_signed(&key).map_err(failed)?;
    let path = write(folder, "authority.pem", &certificate.pem())?;
    Ok((Issuer::new(parameters, key), path))
}

fn make_identity(
    folder: &Path,
    issuer: &Issuer<'_, KeyPair>,
    role: Role,
    names: Vec<String>,
) -> Result<Identity, CertificateError> {
    let name = role.name();
    let failed = |source| CertificateError::Make { role: name, source };
    let key = KeyPair::generate().map_err(failed)?;
    let parameters = role.parameters(names).map_err(failed)?;
    let certificate = parameters.signed_by(&key, issuer).map_err(failed)?;
    let certificate = write(folder, &format!("{name}.pem"), &certificate.pem())?;
    let key = write(folder, &format!("{name}-key.pem"), &key.serialize_pem())?;
    Ok(Identity { certificate, key })
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, CertificateError> {
    let path = folder.join(name);
    match fs::write(&path, text) {
        Ok(()) => Ok(path),
        Err(source) => Err(CertificateError::Write { path, source }),
    }
}
