//! The authority that signs the server's and the clients' certificates.
//!
//! Reads its key from a folder, or makes one there; returns certificates and a TLS configuration.
//! Invariant: the key never leaves its file, which only its owner may read.

use std::fmt;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SigningKey,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use super::clients::{AnyClient, ServerTls};
use super::{provider, secret};

mod subject;

#[cfg(test)]
mod tests;

/// Names and addresses under which the server is always reached.
const NAMES: &[&str] = &[
    "127.0.0.1",
    "::1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];
const KEY_FILE: &str = "ca.key";
const CERTIFICATE_FILE: &str = "ca.crt";

/// Why there are no certificates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    #[error("could not make a certificate")]
    Make {
        #[from]
        source: rcgen::Error,
    },
    #[error("could not use the certificates")]
    Configure {
        #[from]
        source: rustls::Error,
    },
    #[error("could not use {path}")]
    File { path: PathBuf, source: io::Error },
}

/// Signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    pem: String,
}

/// A certificate with its key, both in PEM.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl fmt::Debug for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Authority").field("pem", &self.pem).finish_non_exhaustive()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let certificate = &self.certificate;
        formatter.debug_struct("Identity").field("certificate", certificate).finish_non_exhaustive()
    }
}

impl Authority {
    /// Makes an authority that nobody will know again.
    pub(crate) fn generate() -> Result<Self, TlsError> {
        Self::from_key(KeyPair::generate()?)
    }

    /// The authority of a folder; makes one where there is none.
    pub(crate) fn open(folder: &Path) -> Result<Self, TlsError> {
        let (key_path, path) = (folder.join(KEY_FILE), folder.join(CERTIFICATE_FILE));
        let Some(key) = secret::read(&key_path)? else {
            let authority = Self::generate()?;
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|source| TlsError::File { path: folder.to_owned(), source })?;
            // The key comes last: where it is, the certificate is there too.
            secret::write(&path, &authority.pem)?;
            secret::write(&key_path, &authority.issuer.key().serialize_pem())?;
            return Ok(authority);
        };
        // The name and key of the issuer are the same as on the day the certificate was made.
        let mut authority = Self::from_key(KeyPair::from_pem(&key)?)?;
        match secret::read(&path)? {
            Some(pem) => {
                authority.certificate = parse(&path, &pem)?;
                authority.check_key(&path)?;
                authority.pem = pem;
            }
            None => secret::write(&path, &authority.pem)?,
        }
        Ok(authority)
    }

    /// The authority's certificate, for clients to trust.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// A certificate that makes its owner a user in these groups.
    pub(crate) fn client(&self, user: &str, groups: &[&str]) -> Result<Identity, TlsError> {
        let parameters = CertificateParams::new(Vec::new())?;
        let (certificate, key) = self.sign(parameters, ExtendedKeyUsagePurpose::ClientAuth)?;
        // A name of rcgen holds one organization; groups may be many.
        let named = subject::rename(certificate.der(), user, groups);
        let named = named.expect("our own certificate is well formed");
        let signature = self.issuer.key().sign(&named.signed)?;
        let certificate = named.into_pem(&signature);
        Ok(Identity { certificate, key: key.serialize_pem() })
    }

    /// What a server under these names, beside the usual ones, needs; clients may show
    /// certificates of this authority.
    pub(crate) fn server(&self, names: &[String]) -> Result<ServerTls, TlsError> {
        let mut all: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
        all.extend(names.iter().filter(|name| !NAMES.contains(&name.as_str())).cloned());
        let mut parameters = CertificateParams::new(all)?;
        parameters.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        let (certificate, key) = self.sign(parameters, ExtendedKeyUsagePurpose::ServerAuth)?;
        let chain = vec![certificate.der().clone(), self.certificate.clone()];
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone())?;
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
        let clients = clients.allow_unauthenticated().build().expect("there is one root");
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(Arc::new(AnyClient(clients.clone())))
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(ServerTls { config: Arc::new(config), clients })
    }

    /// A certificate of another key would be trusted in vain.
    fn check_key(&self, path: &Path) -> Result<(), TlsError> {
        let parsed = x509_parser::parse_x509_certificate(&self.certificate);
        let is_own = parsed.is_ok_and(|(_, certificate)| {
            let key = &certificate.public_key().subject_public_key;
            *key.data == *self.issuer.key().public_key_raw()
        });
        match is_own {
            true => Ok(()),
            false => {
                let why = "it is no certificate of the key beside it";
                let source = io::Error::new(io::ErrorKind::InvalidData, why);
                Err(TlsError::File { path: path.to_owned(), source })
            }
        }
    }

    fn from_key(key: KeyPair) -> Result<Self, TlsError> {
        let mut parameters = CertificateParams::new(Vec::new())?;
        parameters.distinguished_name.push(DnType::CommonName, "kube-embedded");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let certificate = parameters.self_signed(&key)?;
        let pem = certificate.pem();
        let certificate = certificate.der().clone();
        Ok(Self { issuer: Issuer::new(parameters, key), certificate, pem })
    }

    fn sign(
        &self,
        mut parameters: CertificateParams,
        usage: ExtendedKeyUsagePurpose,
    ) -> Result<(Certificate, KeyPair), TlsError> {
        let key = KeyPair::generate()?;
        parameters.extended_key_usages = vec![usage];
        parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let certificate = parameters.signed_by(&key, &self.issuer)?;
        Ok((certificate, key))
    }
}

fn parse(path: &Path, pem: &str) -> Result<CertificateDer<'static>, TlsError> {
    match x509_parser::pem::parse_x509_pem(pem.as_bytes()) {
        Ok((_, parsed)) => Ok(CertificateDer::from(parsed.contents)),
        Err(error) => {
            let source = io::Error::new(io::ErrorKind::InvalidData, error.to_string());
            Err(TlsError::File { path: path.to_owned(), source })
        }
    }
}
