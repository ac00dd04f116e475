import GRDB
import ServerCatalog

extension VPNServerOrder {
    /// The ORDER BY clause; empty for no order.
    var sql: SQL {
        switch self {
        case .none: ""
        case .random: "ORDER BY logicalStatus.status <> 0 DESC, RANDOM()"
        case .fastest: "ORDER BY logicalStatus.score, logical.id"
        case .fastestGatewaysLast:
            "ORDER BY logical.gatewayName DESC NULLS FIRST, logicalStatus.score, logical.id"
        case .nameAscending:
            "ORDER BY logical.namePrefix, logical.sequenceNumber, logical.name, logical.id"
        case .loadAscending: "ORDER BY logicalStatus.load, logical.id"
        }
    }
}
