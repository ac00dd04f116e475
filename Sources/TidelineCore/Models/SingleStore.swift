/// A store outside packages: a single file, or a folder of another program.
public struct SingleStore: Sendable {
    /// The name of the kind in `tideline info`. Only stores of the same kind can be compared.
    let name: String
    /// The name of the format in `tideline info`.
    let format: String
    /// The location, as the data model's part needs it.
    let place: any Sendable
    /// Whether the store is a single document.
    var isDocument = false
    /// Returns the parts of a session. They read nothing before they are started.
    let parts: @Sendable (StoreOpener) -> [any SessionPart]
    /// Reads the counts, devices and problems.
    let info: @Sendable () throws -> StoreInfo.Section
    /// Opens two stores of this kind, and returns their comparisons.
    let comparisons: @Sendable (ComparedStores) async throws -> [any Comparison]
    /// Checks the store.
    let examine: @Sendable (Doctor, inout DoctorFindings) -> Void
}
