/// The numbers of the service's plans, as servers specify them.
///
/// Tiers are plain integers everywhere else, so that an unknown tier is not an error.
public enum ServerTier {
    /// Available to every account.
    public static let free = 0
    /// A former plan. Its servers still exist.
    public static let basic = 1
    /// Available to paying customers.
    public static let plus = 2
    /// Available to the service's staff.
    public static let `internal` = 3
}
