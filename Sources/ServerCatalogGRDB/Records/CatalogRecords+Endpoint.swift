public import GRDB
import ServerCatalog

extension CatalogRecords {
    /// A row of `endpoint`: the entry of a machine in the list of one server. Several servers can
    /// list the same machine.
    public struct Endpoint: Decodable, FetchableRecord, TableRecord, Sendable {
        /// `endpoint`.
        public static let databaseTableName = "endpoint"

        /// The server that lists the machine.
        public var logicalId: String
        /// The machine's identifier, unique for each server.
        public var id: String
        /// The address that a client connects to.
        public var entryIP: String?
        /// The address that traffic leaves from.
        public var exitIP: String
        /// The machine's host name, from the service's report.
        public var domain: String
        /// The service's status. Zero means maintenance; `nil` is unknown.
        public var status: Int?
        /// The service's label for the machine, unchanged.
        public var label: String?
        /// The machine's public key for WireGuard, in base64.
        public var x25519PublicKey: String?

        init(_ endpoint: ServerEndpoint, logicalId: String) {
            self.logicalId = logicalId
            id = endpoint.id
            entryIP = endpoint.entryIP
            exitIP = endpoint.exitIP
            domain = endpoint.domain
            status = endpoint.status
            label = endpoint.label
            x25519PublicKey = endpoint.x25519PublicKey
        }

        static let columns = [
            "logicalId", "id", "entryIP", "exitIP", "domain", "status", "label",
            "x25519PublicKey",
        ]

        func add(to values: inout RowWriter.Values) {
            values.add(logicalId)
            values.add(id)
            values.add(entryIP)
            values.add(exitIP)
            values.add(domain)
            values.add(status)
            values.add(label)
            values.add(x25519PublicKey)
        }
    }

    /// A row of `endpointOverrides`: a server's endpoint with settings for individual protocols.
    public struct OverrideInfo: Decodable, FetchableRecord, TableRecord, Sendable {
        /// `endpointOverrides`.
        public static let databaseTableName = "endpointOverrides"

        /// The server that lists the endpoint.
        public var logicalId: String
        /// The endpoint's identifier.
        public var endpointId: String
        /// The supported protocols, as bits.
        public var protocolMask: Int
        /// The overrides as JSON, in the service's format.
        public var protocolEntries: String

        /// Creates the record of an endpoint's overrides. Returns `nil` if the endpoint has no
        /// overrides.
        init?(_ endpoint: ServerEndpoint, logicalId: String) {
            guard let overrides = endpoint.overrides else { return nil }
            self.logicalId = logicalId
            endpointId = endpoint.id
            protocolMask = endpoint.protocolSupport.rawValue
            protocolEntries = overrides.json
        }

        static let columns = ["logicalId", "endpointId", "protocolMask", "protocolEntries"]

        func add(to values: inout RowWriter.Values) {
            values.add(logicalId)
            values.add(endpointId)
            values.add(protocolMask)
            values.add(protocolEntries)
        }
    }
}
