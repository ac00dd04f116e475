/// The failure to save or delete one object. The call continued with its other objects.
struct ObjectFailure {
    let object: any AutoObject
    let error: AutoModelError
}

extension [ObjectFailure] {
    /// If the list isn't empty, throws one error that names all of its objects.
    func throwIfAny() throws {
        guard let first else { return }
        let message =
            count == 1
            ? first.error.message
            : "\(count) objects can't be saved or deleted; the others were: "
                + prefix(5).map(\.error.message).joined(separator: "; ") + (count > 5 ? "; …" : "")
        throw AutoModelError(
            first.error.code, message, ids: flatMap(\.error.ids), objects: map(\.object),
            cause: first.error.cause)
    }
}
