import Replication
import Tables

/// The profile of the cells in a column of any list. Instants are profiled only if the column has
/// no numbers.
struct CellProfile {
    private let profile: ColumnProfile
    private let epoch: Epoch?

    /// Creates the profile of the different cells, each with the number of its rows.
    init(_ cells: [(cell: RowCell, count: Int)]) {
        let hasNumbers = cells.contains {
            $0.cell.profiledInstant == nil && $0.cell.profiled.value.isNumber
        }
        let hasInstants = cells.contains { $0.cell.profiledInstant != nil }
        let showsInstants = hasInstants && !hasNumbers
        epoch = showsInstants ? .seconds2001 : nil
        profile = ColumnProfile(
            counting: cells.map { cell, count in
                guard let instant = cell.profiledInstant else {
                    let (value, type) = cell.profiled
                    return (value, type, count)
                }
                let value: TableValue =
                    showsInstants
                    ? Epoch.seconds2001.value(instant.date) : .text(instant.iso8601)
                return (value, "date", count)
            })
    }

    /// The facts and the histogram for the inspector.
    var sections: [Detail.Section] { profile.sections { TableGrid.text($0, nil, epoch) } }
}

extension RowCell {
    fileprivate var profiledInstant: Timestamp? { instant ?? value?.instant }

    /// The value and its type. Values that are neither numbers nor missing are texts.
    fileprivate var profiled: (value: TableValue, type: String) {
        if let stored = value?.unwrapped(as: TableCell.self)?.value {
            return (stored, stored.typeName)
        }
        if let number = value?.number ?? (role == .number ? FilterNumber(text) : nil) {
            guard let whole = number.integer else { return (.real(number.real), "real") }
            let integer = Int64(exactly: whole).map { TableValue.integer($0) }
            return (integer ?? .real(number.real), "integer")
        }
        switch role {
        case .dim where text.isEmpty || text.uppercased() == "NULL": return (.null, "null")
        case .boolean: return (.text(text), "boolean")
        case .data: return (.text(text), "bytes")
        case .collection: return (.text(text), "list or map")
        case .link: return (.text(text), "link")
        default: return (.text(value?.string ?? text), "text")
        }
    }
}

extension TableValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .real: true
        case .null, .text, .malformedText, .blob, .unread: false
        }
    }
}
