import Synchronization

// A stand-in for the module of swift-dependencies, with the part of its interface that the bridge
// in docs/from-persistence.md uses. It compiles the bridge without downloading the package.

/// A key of a dependency with a value for tests.
public protocol TestDependencyKey {
    associatedtype Value: Sendable = Self
    static var testValue: Value { get }
}

/// A key of a dependency with a value for programs.
public protocol DependencyKey: TestDependencyKey {
    static var liveValue: Value { get }
}

/// The dependencies of a program.
public struct DependencyValues: Sendable {
    fileprivate static let current = Mutex(DependencyValues())
    private var values: [ObjectIdentifier: any Sendable] = [:]

    public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.liveValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

/// Changes the dependencies of the program.
public func prepareDependencies(_ update: (inout DependencyValues) throws -> Void) rethrows {
    try DependencyValues.current.withLock { try update(&$0) }
}

/// A property with the value of a dependency.
@propertyWrapper public struct Dependency<Value: Sendable>: Sendable {
    private let path: any KeyPath<DependencyValues, Value> & Sendable

    public init(_ path: any KeyPath<DependencyValues, Value> & Sendable) { self.path = path }

    public var wrappedValue: Value { DependencyValues.current.withLock { $0[keyPath: path] } }
}
