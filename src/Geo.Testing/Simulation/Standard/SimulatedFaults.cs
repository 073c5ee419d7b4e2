namespace Geo.Testing;

/// <summary>The kinds of faults a simulation may use.</summary>
[Flags]
public enum SimulatedFaults
{
    /// <summary>Messages and store operations are only slow.</summary>
    None = 0,

    /// <summary>Messages are lost and duplicated, notices above all; some ways are slow.</summary>
    Loss = 1,

    /// <summary>Links are cut, in one direction or both, or hold what arrives for a while; clients lose their gateway.</summary>
    Cuts = 2,

    /// <summary>
    /// Store operations end as unknown: without effect, with it, or with a late one; stores are unreachable for a while, for all silos of a
    /// cluster or for one of them.
    /// </summary>
    Stores = 4,

    /// <summary>Silos crash, at any message or store operation, and start again, with their directory rows or without.</summary>
    Crashes = 8,

    /// <summary>
    /// Silos stand still for a while, with their monotonic clock or without; where they have siblings they are declared dead when it lasts.
    /// Wall clocks are wrong.
    /// </summary>
    Pauses = 16,

    /// <summary>
    /// Stores hang, for all silos of a cluster or for one of them, ignore that their callers give up, and answer late; calls never end.
    /// </summary>
    Hangs = 32,

    /// <summary>Silos are declared dead by their siblings although they run, and learn of it late.</summary>
    Suspicions = 64,

    /// <summary>One silo of a cluster has no link to another cluster, to which its siblings have one.</summary>
    SiloLinks = 128,

    /// <summary>Wall clocks jump, forth and back.</summary>
    Clocks = 256,

    /// <summary>
    /// Silos of a cluster have leases of different durations, and some try to start with another list of clusters than their siblings have.
    /// </summary>
    Settings = 512,

    /// <summary>
    /// The store of a cluster's directory rows goes back to an older backup, as an operator lets it: with all silos of the cluster down.
    /// </summary>
    Backups = 1024,

    /// <summary>
    /// Messages between the silos of a cluster are lost and late, and each hears at a time of its own who has come and gone.
    /// </summary>
    Siblings = 2048,

    /// <summary>All of them.</summary>
    All = Loss | Cuts | Stores | Crashes | Pauses | Hangs | Suspicions | SiloLinks | Clocks | Settings | Backups | Siblings,
}
