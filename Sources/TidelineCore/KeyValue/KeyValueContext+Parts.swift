import KeyValueStore

/// Edits of a part of a key's value. The rest of the value isn't changed.
extension KeyValueContext {
    func setting(
        _ row: RowID, _ field: FieldPath, _ text: TypedText
    ) throws -> KeyChange {
        let value = try structure(row, field)
        let part = try text.value(as: PropertyList.self)
        let changed = try value.setting(field.steps, to: part)
        guard let old = value.part(at: field.steps) else { throw Self.missing(field) }
        return KeyChange(
            key: row.name, value: changed,
            part: PartChange(
                steps: field.steps, old: old, new: part,
                undo: PartUndo(action: .set, field: field, text: TypedText(old))))
    }

    func adding(
        _ name: String, _ text: TypedText, to row: RowID, _ field: FieldPath
    ) throws -> KeyChange {
        let value = try structure(row, field)
        let part = try text.value(as: PropertyList.self)
        let changed = try value.adding(name, part, at: field.steps)
        var place = name
        if name.isEmpty, let items = value.part(at: field.steps)?.items {
            place = String(items.count)
        }
        let added = field.inside(place)
        return KeyChange(
            key: row.name, value: changed,
            part: PartChange(
                steps: added.steps, old: nil, new: part,
                undo: PartUndo(action: .remove, field: added)))
    }

    func renaming(_ row: RowID, _ field: FieldPath, to name: String) throws -> KeyChange {
        let value = try structure(row, field)
        let changed = try value.renaming(field.steps, to: name)
        let renamed = FieldPath(steps: field.steps.dropLast() + [name])
        let old = PropertyList.string(field.steps.last ?? "")
        return KeyChange(
            key: row.name, value: changed,
            part: PartChange(
                steps: field.steps, old: old, new: .string(name),
                undo: PartUndo(action: .rename, field: renamed, name: field.steps.last ?? "")))
    }

    func removing(_ field: FieldPath, of rows: [RowID]) throws -> KeyChange {
        guard let row = rows.first, rows.count == 1 else {
            throw EditError(.unsupported, "parts can be deleted from only one value at a time")
        }
        let value = try structure(row, field)
        let changed = try value.removing(field.steps)
        guard let old = value.part(at: field.steps) else { throw Self.missing(field) }
        let container = FieldPath(steps: field.steps.dropLast())
        return KeyChange(
            key: row.name, value: changed,
            part: PartChange(
                steps: field.steps, old: old, new: nil,
                undo: PartUndo(
                    action: .add, field: container, name: field.steps.last ?? "",
                    text: TypedText(old))))
    }

    /// Returns the value of a key, for changing a part of it.
    private func structure(_ row: RowID, _ field: FieldPath) throws(EditError) -> PropertyList {
        guard field.property.isEmpty, field.entry == nil else {
            throw EditError(.unsupported, "keys have a value and no properties")
        }
        return try value(of: row)
    }

    private static func missing(_ field: FieldPath) -> EditError {
        EditError(.notFound, "the value no longer has \(field)")
    }
}

extension Edit {
    /// This edit. If its field is the whole value, the field is left out.
    var aboutWholeKeys: Edit {
        switch self {
        case .set(let row, let field?, let text) where field == FieldPath():
            .set(row, field: nil, text)
        case .rename(let row, let field?, let name) where field == FieldPath():
            .rename(row, to: name)
        case .remove(let rows, let field?) where field == FieldPath():
            .remove(rows, field: nil)
        default: self
        }
    }
}
