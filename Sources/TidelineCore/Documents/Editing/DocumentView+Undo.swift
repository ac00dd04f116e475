import Automerge
import Foundation
import Replication

/// Undo of a change: a new change that keeps all later changes.
extension DocumentView {
    /// Undoes a change with a new change.
    ///
    /// Later edits of a text and increments of a counter are kept.
    ///
    /// - Parameters:
    ///   - hash: The change.
    ///   - device: The device that made the change and undoes it.
    ///   - date: The time of the new change.
    /// - Returns: The actor of the new change, which may not be the actor of this document.
    /// - Throws: ``EditError``: `.notFound` for an unknown change, `.builtOn` if a value has been
    ///   written again since the change, `.unsupported` for a change that can't be undone.
    @discardableResult
    func undo(_ hash: ChangeHash, by device: DeviceID?, on date: Date) throws -> ActorId {
        guard let number = document.changeNumber(of: hash),
            let change = document.recordedChange(number)
        else { throw EditError(.notFound, "the change is no longer in the document") }
        let steps = document.comparison(from: [hash], to: Set(change.dependencies))
        guard steps.leftOut == 0 else {
            throw EditError(.unsupported, "can't undo: the value is nested too deep")
        }
        let before = heads
        var actor = document.actor
        if before.hashes == [hash] {
            try play(steps.patches)
            document.commitWith(timestamp: date)
        } else if let obstacle = try obstacle(to: steps.patches, since: hash) {
            // Undoing the later writes may have restored the values, with new operations.
            let then = DocumentView(try document.forkAt(heads: [hash]))
            guard let objects = try restoredObjects(of: steps.patches, since: then, by: device)
            else { throw obstacle }
            try play(steps.patches, in: objects)
            document.commitWith(timestamp: date)
        } else {
            // The positions in the steps are positions in the document at the time of the change.
            // Merging adapts them to the current document.
            let then = DocumentView(try document.forkAt(heads: [hash]))
            try then.play(steps.patches)
            then.document.commitWith(timestamp: date)
            try document.merge(other: then.document)
            actor = then.document.actor
        }
        guard heads != before else {
            throw EditError(
                .unsupported,
                "can't undo: the edit chose the winner of a conflict, so the value didn't change")
        }
        return actor
    }

    /// Applies steps as operations of this document. Restored objects become new objects.
    ///
    /// - Parameter objects: The objects to change instead of those in the steps.
    private func play(_ patches: [Patch], in objects: [ObjId: ObjId] = [:]) throws {
        var made = objects
        for patch in patches { try play(patch.action, &made) }
    }

    private func play(_ action: PatchAction, _ made: inout [ObjId: ObjId]) throws {
        switch action {
        case .Put(let object, let prop, let value):
            let place = CodingPlace(prop, of: made[object] ?? object)
            switch value {
            case .Object(let old, let type): made[old] = try place.putObject(type, in: document)
            case .Scalar(let scalar): try place.put(scalar, in: document)
            }
        case .Insert(let object, let start, let values, _):
            let list = made[object] ?? object
            for (offset, value) in values.enumerated() {
                let index = start + UInt64(offset)
                switch value {
                case .Object(let old, let type):
                    made[old] = try document.insertObject(obj: list, index: index, ty: type)
                case .Scalar(let scalar):
                    try document.insert(obj: list, index: index, value: scalar)
                }
            }
        case .SpliceText(let object, let index, let text, let marks):
            let id = made[object] ?? object
            let before = document.length(obj: id)
            try document.spliceText(obj: id, start: index, delete: 0, value: text)
            let end = index + (document.length(obj: id) - before)
            for (name, value) in marks {
                try mark(id, Mark(start: index, end: end, name: name, value: value))
            }
        case .Increment(let object, let prop, let amount):
            try CodingPlace(prop, of: made[object] ?? object).increment(by: amount, in: document)
        case .DeleteMap(let object, let key):
            try document.delete(obj: made[object] ?? object, key: key)
        case .DeleteSeq(let range):
            let object = made[range.obj] ?? range.obj
            if document.objectType(obj: object) == .Text {
                try document.spliceText(
                    obj: object, start: range.index, delete: Int64(clamping: range.length),
                    value: "")
            } else {
                for _ in 0..<range.length { try document.delete(obj: object, index: range.index) }
            }
        case .Marks(let object, let marks):
            for each in marks { try mark(made[object] ?? object, each) }
        // Concurrent values have several writers, so a single writer can't restore them.
        case .Conflict: break
        }
    }

    private func mark(_ text: ObjId, _ mark: Mark) throws {
        guard case .Scalar(let value) = mark.value else { return }
        try document.mark(
            obj: text, start: mark.start, end: mark.end, expand: .none, name: mark.name,
            value: value)
    }
}
