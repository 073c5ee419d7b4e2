namespace Geo.Testing;

/// <summary>The kinds of faults a simulation may use.</summary>
[Flags]
public enum SimulatedFaults
{
    /// <summary>Messages and store operations are only slow.</summary>
    None = 0,

    /// <summary>Messages are lost and duplicated.</summary>
    Loss = 1,

    /// <summary>Links are cut, in one direction or both.</summary>
    Cuts = 2,

    /// <summary>Store operations end as unknown: without effect, with it, or with a late one; stores are unreachable for a while.</summary>
    Stores = 4,

    /// <summary>Silos crash and start again, with their directory rows or without.</summary>
    Crashes = 8,

    /// <summary>All of them.</summary>
    All = Loss | Cuts | Stores | Crashes,
}
