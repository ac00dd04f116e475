import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Explanations of network errors.
enum NetworkFailure {
    static func explanation(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let dns = error.dnsAError ?? error.dnsAAAAError {
                return "\(error.host): \(explanation(dns))"
            }
            return error.connectionErrors.first.map { explanation($0.error) }
                ?? "\(error.host) has no address"
        case let error as IOError: return reason(error.errnoCode)
        case ChannelError.connectTimeout: return "no answer in time"
        case is ChannelError: return "the connection has ended"
        case is SocketAddressError: return "no such host"
        case is NIOSSLExtraError:
            return "the server's certificate is for another name"
        case let error as NIOSSLError:
            let text = String(describing: error)
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return "the server's certificate has expired, or this system doesn't trust it"
            }
            if case .uncleanShutdown = error { return "the connection has ended" }
            return "the TLS connection failed (\(text))"
        default: return String(describing: error)
        }
    }

    private static func reason(_ number: CInt) -> String {
        String(cString: strerror(number)).lowercased()
    }
}
