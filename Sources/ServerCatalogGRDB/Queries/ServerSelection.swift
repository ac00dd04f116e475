import GRDB
import ServerCatalog

/// The servers that match filters, one row per server, as part of a SELECT.
///
/// There are two forms with the same meaning. Without conditions on endpoints, the summaries in
/// `logical` provide the aggregates, and no endpoint is read. With conditions on endpoints, the
/// matching endpoints are joined and aggregated, and there is one row per server with a matching
/// endpoint.
struct ServerSelection {
    /// `FROM … WHERE …`, after ``with``.
    let source: SQL
    let with: SQL
    /// The SQL for the bitwise OR of the protocol masks of the matching endpoints.
    let protocols: SQL
    /// The SQL that determines whether the server and at least one matching endpoint are up.
    let isUp: SQL

    init(_ filters: [VPNServerFilter], names: CountryNames) {
        let conditions = FilterSQL(filters, names: names)
        if conditions.endpoint.isEmpty {
            self.init(summarized: conditions)
        } else {
            self.init(joined: conditions)
        }
    }

    private init(summarized conditions: FilterSQL) {
        with = ""
        let mask: SQL =
            conditions.requiresUp ? "logical.upProtocolMask" : "logical.protocolMask"
        // Servers without endpoints are found only on request. They never count as up.
        let isListed: SQL =
            conditions.requiresNoEndpoint && !conditions.requiresUp
            ? "\(mask) IS NULL" : "\(mask) IS NOT NULL"
        let all: [SQL] = conditions.server + [isListed]
        source = """
            FROM logical
            JOIN logicalStatus ON logicalStatus.logicalId = logical.id
            WHERE \(all.joined(operator: .and))
            """
        protocols = "COALESCE(\(mask), 0)"
        isUp = "(logicalStatus.status <> 0 AND logical.upProtocolMask IS NOT NULL)"
    }

    private init(joined conditions: FilterSQL) {
        var all = conditions.server + conditions.endpoint
        if conditions.requiresUp { all.append("COALESCE(endpoint.status, 1) <> 0") }
        with = """
            WITH reach AS (
                SELECT logical.rowid AS logicalRow,
                    BIT_OR(COALESCE(endpointOverrides.protocolMask, \(sql: FilterSQL.allProtocols)))
                        AS protocols,
                    MAX(COALESCE(endpoint.status, 1) <> 0) AS isUp
                FROM logical
                JOIN logicalStatus ON logicalStatus.logicalId = logical.id
                JOIN endpoint ON endpoint.logicalId = logical.id
                LEFT JOIN endpointOverrides ON endpointOverrides.logicalId = endpoint.logicalId
                    AND endpointOverrides.endpointId = endpoint.id
                WHERE \(all.joined(operator: .and))
                GROUP BY logical.rowid)
            """
        source = """
            FROM reach
            JOIN logical ON logical.rowid = reach.logicalRow
            JOIN logicalStatus ON logicalStatus.logicalId = logical.id
            """
        protocols = "reach.protocols"
        isUp = "(logicalStatus.status <> 0 AND reach.isUp)"
    }
}
