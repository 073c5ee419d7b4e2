namespace Geo;

/// <summary>
/// Names the protocol that keeps the versions of a grain class consistent: <see cref="BatchedCasAttribute"/>,
/// <see cref="VersionedLeaderAttribute"/>, or an application's own, which is a class derived from this one that implements
/// <c>IViewProtocol</c> of Geo.Consistency (GEO section 3, "the protocols are pluggable").
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public abstract class ViewProtocolAttribute : Attribute
{
    /// <summary>
    /// True where the versions live in a conditional store; false by default. Hosts then check at start that the store is there, and that
    /// clusters between which the grain moves, or which all have an instance, share it.
    /// </summary>
    public virtual bool UsesStore => false;

    /// <summary>The name under which the host registered that store; the default store when null.</summary>
    public virtual string? StoreName => null;
}
