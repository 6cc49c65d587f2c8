//! TLS as OVN clusters use it: a private authority, and certificates on both sides.
//!
//! Reads PEM texts; returns a configuration for rustls.
//! Invariant: a peer that no given authority vouches for is never accepted.

use std::sync::Arc;

use ovsdb::Retry;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

/// What a client needs to speak TLS; all texts are PEM.
#[derive(Clone)]
pub struct TlsSettings {
    /// The authorities that may vouch for a server.
    pub authorities: Vec<u8>,
    /// Our own certificate, followed by those that lead to its authority, and its key.
    pub identity: Option<Identity>,
    pub names: Names,
}

/// A certificate chain and the private key that belongs to it.
#[derive(Clone)]
pub struct Identity {
    pub certificates: Vec<u8>,
    pub key: Vec<u8>,
}

/// Whether a server's certificate must name the host that we connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// The authority decides alone, as in OVS, whose certificates rarely name their hosts.
    #[default]
    Ignored,
    Checked,
}

/// The texts do not make a TLS client.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("could not read {what}")]
    Pem { what: &'static str, source: rustls::pki_types::pem::Error },
    #[error("{what} holds no certificate")]
    NoCertificate { what: &'static str },
    #[error("an authority's certificate cannot be used")]
    Authority(#[source] rustls::Error),
    #[error("the authorities cannot be used")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
    #[error("certificate and private key cannot be used")]
    Identity(#[source] rustls::Error),
    #[error("no protocol version can be offered")]
    Versions(#[source] rustls::Error),
}

impl TlsError {
    /// What the caller should do next.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Pem { .. }
            | Self::NoCertificate { .. }
            | Self::Authority(_)
            | Self::Verifier(_)
            | Self::Identity(_)
            | Self::Versions(_) => Retry::Never,
        }
    }
}

impl TlsSettings {
    /// Certificates on both sides, names ignored, as OVN's own programs do it.
    pub fn new(authorities: Vec<u8>, identity: Identity) -> Self {
        Self { authorities, identity: Some(identity), names: Names::default() }
    }

    /// Builds the configuration that every connection shares.
    pub fn to_config(&self) -> Result<Arc<ClientConfig>, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let roots = self.roots()?;
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Versions)?;
        let verifier: Arc<dyn ServerCertVerifier> = match self.names {
            Names::Checked => {
                WebPkiServerVerifier::builder_with_provider(roots, provider).build()?
            }
            Names::Ignored => Arc::new(AnyName { roots, provider }),
        };
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        let config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let chain = read_certificates(&identity.certificates, "the certificate")?;
                let key = PrivateKeyDer::from_pem_slice(&identity.key)
                    .map_err(|source| TlsError::Pem { what: "the private key", source })?;
                builder.with_client_auth_cert(chain, key).map_err(TlsError::Identity)?
            }
        };
        Ok(Arc::new(config))
    }

    fn roots(&self) -> Result<Arc<RootCertStore>, TlsError> {
        let mut roots = RootCertStore::empty();
        for certificate in read_certificates(&self.authorities, "the authorities")? {
            roots.add(certificate).map_err(TlsError::Authority)?;
        }
        Ok(Arc::new(roots))
    }
}

impl std::fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { authorities: _, identity, names } = self;
        write!(f, "TlsSettings(with identity: {}, names: {names:?})", identity.is_some())
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity(..)")
    }
}

fn read_certificates(
    pem: &[u8],
    what: &'static str,
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = certificates.map_err(|source| TlsError::Pem { what, source })?;
    if certificates.is_empty() { Err(TlsError::NoCertificate { what }) } else { Ok(certificates) }
}

/// Checks the chain to an authority, and no name.
///
/// compat: lib/stream-ssl.c verifies the peer's certificate against the authority alone.
#[derive(Debug)]
struct AnyName {
    roots: Arc<RootCertStore>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        rustls::client::verify_server_cert_signed_by_trust_anchor(
            &ParsedCertificate::try_from(end_entity)?,
            &self.roots,
            intermediates,
            now,
            self.provider.signature_verification_algorithms.all,
        )?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
