package import ServerCatalog

extension ImportReport {
    /// Notes about the file, for the user: servers that aren't listed, and skipped records.
    package var notes: [String] {
        var notes: [String] = []
        if withoutEndpointsCount > 0 {
            let more = withoutEndpointsCount - withoutEndpoints.count
            notes.append(
                "without an endpoint: " + withoutEndpoints.joined(separator: ", ")
                    + (more > 0 ? " and \(more) more" : ""))
        }
        notes += bad.map { record in
            "skipped record \(record.index)" + (record.name.map { " (\($0))" } ?? "")
                + ": \(record.reason)"
        }
        let more = badCount - bad.count
        if more > 0 { notes.append("and \(Counted.grouped(more)) more") }
        return notes
    }
}
