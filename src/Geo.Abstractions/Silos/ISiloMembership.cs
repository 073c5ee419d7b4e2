namespace Geo;

/// <summary>Who belongs to a silo's cluster, as the host knows it: Orleans' membership, or a simulated one.</summary>
/// <remarks>A hint between the silos; what must not be wrong is decided by leases in the cluster's row store.</remarks>
internal interface ISiloMembership
{
    /// <summary>This silo.</summary>
    string Local { get; }

    /// <summary>The silos as they are known now. Read on the hot path; must not block.</summary>
    SiloMembers Members { get; }

    /// <summary>The silos that can be called and may have instances, but for this one, by name.</summary>
    IEnumerable<string> Siblings => Members.Callable.Where(node => node != Local);
}
