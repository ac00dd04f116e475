import GRDB

extension ModelTable {
    /// Writes the changed lists of an object.
    ///
    /// - Parameter saved: Receives the slots of the written lists.
    func saveRelations(
        of object: Model, _ saved: inout [Int], in session: WriteSession
    ) throws {
        for link in layout.links {
            let listed: [PendingObject]? = object.locked {
                guard let slot = object._$state.extras?.relations[link.slot], slot.isDirty else {
                    return nil
                }
                slot.isDirty = false
                return slot.listed
            }
            guard let listed else { continue }
            saved.append(link.slot)
            try write(listed, link, object.id, session)
        }
    }

    private func write(
        _ listed: [PendingObject], _ link: RelationDescription, _ owner: Int64,
        _ session: WriteSession
    ) throws {
        let targets = try database.table(for: link.target)
        for pending in listed {
            if let object = pending.object { try targets.saveReferred(object, in: session) }
        }
        let table = quoted(link.table)
        try session.db.run("DELETE FROM \(table) WHERE owner = ?", [.integer(owner)])
        let insert = try session.db.prepared(
            insert: "INSERT INTO \(table) (id, owner, place, target) VALUES (?, ?, ?, ?)")
        for (place, pending) in listed.enumerated() {
            insert.clear()
            insert.bind(RandomID.next(), 1)
            insert.bind(owner, 2)
            insert.bind(Int64(place), 3)
            insert.bind(pending.id, 4)
            try session.db.run(insert)
        }
    }
}

extension AutoDatabase {
    /// Applies the delete rules of references to rows that are being deleted.
    func followReferences(
        to ids: [Int64], of table: any AnyTable, in session: WriteSession
    ) throws {
        for other in allTables {
            for column in other.layout.columns {
                guard let reference = column.reference, reference.type == table.model else {
                    continue
                }
                let sql = """
                    SELECT id FROM \(quoted(other.layout.name))
                    WHERE \(quoted(column.name)) IN \(ids.sqlList)
                    """
                let follow = { (session: WriteSession) in
                    let referring = try session.db.ids(once: sql)
                    guard !referring.isEmpty else { return }
                    switch reference.rule {
                    case .cascade: try other.delete(ids: referring, in: session)
                    case .nullify: try other.forget(column.name, of: referring, in: session)
                    case .deny:
                        throw AutoModelError(
                            .referred,
                            "\(referring.count) rows of '\(other.layout.name)' refer to "
                                + "rows of '\(table.layout.name)' by '\(column.name)', whose rule "
                                + "is 'deny'; delete the referring rows first", ids: ids)
                    }
                }
                if other.file === session.file {
                    try follow(session)
                } else {
                    // Locking a second file while this file is locked could cause a deadlock.
                    session.afterUnlock { try? other.file.write(follow) }
                }
            }
        }
    }

    /// Removes deleted rows from all many-to-many lists.
    func deleteLinks(
        of ids: [Int64], in table: any AnyTable, session: WriteSession
    ) throws {
        for link in table.layout.links {
            try session.db.run(
                once: "DELETE FROM \(quoted(link.table)) WHERE owner IN \(ids.sqlList)")
        }
        for other in allTables {
            for link in other.layout.links where link.target == table.model {
                let sql = "DELETE FROM \(quoted(link.table)) WHERE target IN \(ids.sqlList)"
                if other.file === session.file {
                    try session.db.run(once: sql)
                } else {
                    session.afterUnlock { try? other.file.write { try $0.db.run(once: sql) } }
                }
            }
        }
    }
}
