import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Explanations of network errors.
enum NetworkFailure {
    static func explanation(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let connection = error.connectionErrors.first {
                return explanation(connection.error)
            }
            return (error.dnsAError ?? error.dnsAAAAError).map(explanation)
                ?? "\(error.host) has no address"
        case let error as IOError: return String(cString: strerror(error.errnoCode)).lowercased()
        case ChannelError.connectTimeout: return "no answer in time"
        case is ChannelError: return "the connection has ended"
        case let error as SocketAddressError.UnknownHost:
            return error.errorCode == Int(EAI_AGAIN)
                ? "the name of the host can't be looked up now" : "no such host"
        case is SocketAddressError: return "no such host"
        case is NIOHTTPClientUpgradeError: return "the server doesn't support WebSocket"
        case is HTTPParserError: return "the server's answer is not HTTP"
        case is NIOSSLExtraError:
            return "the server's certificate is for another name"
        case let error as NIOSSLError:
            let text = String(describing: error)
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return "the server's certificate has expired, or this system doesn't trust it"
            }
            if text.contains("WRONG_VERSION_NUMBER") { return "the server doesn't use TLS" }
            if text.contains("EOF during handshake") {
                return "the server ended the connection during the TLS handshake"
            }
            if case .uncleanShutdown = error { return "the connection has ended" }
            return "the TLS connection failed (\(reason(inTLS: text) ?? text))"
        default: return String(describing: error)
        }
    }

    /// Returns whether a server can't listen because of its host; `false` if the port is the
    /// reason.
    static func isAboutHost(_ error: any Error) -> Bool {
        switch error {
        case is SocketAddressError.UnknownHost, is SocketAddressError: true
        case let error as IOError: error.errnoCode == EADDRNOTAVAIL
        default: false
        }
    }

    /// Returns the reason in the description of a BoringSSL error, such as
    /// `…:OPENSSL_internal:UNSUPPORTED_PROTOCOL at PATH…`.
    private static func reason(inTLS text: String) -> String? {
        text.firstRange(of: "OPENSSL_internal:").map { mark in
            String(text[mark.upperBound...].prefix { $0 != " " })
        }
    }
}
