/// An object that couldn't be saved or deleted, while others of the same call were.
struct ObjectFailure {
    let object: any AutoObject
    let error: AutoModelError
}

extension [ObjectFailure] {
    /// - Throws: ``AutoModelError`` that names the objects, if there are any.
    func throwIfAny() throws {
        guard let first else { return }
        let message =
            count == 1
            ? first.error.message
            : "\(count) objects can't be saved or deleted, all others are: "
                + prefix(5).map(\.error.message).joined(separator: "; ") + (count > 5 ? "; …" : "")
        throw AutoModelError(
            first.error.code, message, ids: flatMap(\.error.ids), objects: map(\.object),
            cause: first.error.cause)
    }
}
