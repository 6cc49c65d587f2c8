//! Looks at the certificates of clients.
//!
//! Reads the chain that a client showed; returns whom it names.
//! Invariant: the handshake takes every certificate whose key the client holds, as the server's
//! does, but only one that a trusted authority signed ever names a user.

use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme};

use super::peer;
use crate::auth::Certificate;

/// What a server needs: its configuration, and who its clients may be.
#[derive(Debug, Clone)]
pub(crate) struct ServerTls {
    pub(super) config: Arc<ServerConfig>,
    pub(super) clients: Arc<dyn ClientCertVerifier>,
}

impl ServerTls {
    /// Whom the certificates that a client showed name.
    pub(super) fn certificate(&self, chain: Option<&[CertificateDer<'_>]>) -> Certificate {
        let Some([first, rest @ ..]) = chain else {
            return Certificate::None;
        };
        match self.clients.verify_client_cert(first, rest, UnixTime::now()) {
            Ok(_) => peer::identity(first)
                .map_or(Certificate::None, |user| Certificate::Known(Arc::new(user))),
            Err(_) => Certificate::Unknown,
        }
    }
}

/// Takes any certificate, so that a stranger is told `Unauthorized` and not just cut off.
#[derive(Debug)]
pub(super) struct AnyClient(pub(super) Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for AnyClient {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
