/// A store over the logs of all devices in a package: what all of them have in common to whoever uses
/// them.
public protocol ReplicatedStore: AnyObject, Sendable {
    /// Something that happened to the store.
    associatedtype Event: Sendable
    /// How a store behaves in time.
    associatedtype Configuration: Sendable

    /// A store over a package. Nothing is read before ``load()``, nothing written before the first
    /// write.
    ///
    /// - Parameter device: The device to write as, whose folder its first write makes; `nil` for a
    ///   store that only reads.
    init(package: StorePackage, device: DeviceID?, configuration: Configuration)

    /// Reads all logs, or reads them anew, and follows them from then on. A store that was closed is
    /// opened again.
    ///
    /// - Throws: ``ReplicationError`` if the package is not what it should be. What is wrong with
    ///   one device's log is in ``devices``, and hides no other.
    func load() async throws

    /// How each device's log stands, by device.
    var devices: [DeviceStatus] { get async }

    /// What happens from now on. Each call gives a sequence of its own, which ends when the store is
    /// closed; one that is asked for after that tells of the store when it is loaded again.
    func events() -> AsyncStream<Event>

    /// Writes what is not on disk yet. When this returns, all is.
    ///
    /// - Throws: What writing throws.
    func save() async throws

    /// Looks at all logs now, and takes in what is new.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone or cannot be listed.
    func sync() async throws

    /// Saves, stops following, and ends all sequences of events.
    ///
    /// - Throws: As ``save()``; the store is closed all the same.
    func close() async throws
}
