using System.ComponentModel.DataAnnotations;

namespace Geo.Testing;

/// <summary>How large a <see cref="MultiClusterSimulation"/> is, and where a test may break it on purpose.</summary>
public sealed record MultiClusterSimulationOptions
{
    /// <summary>
    /// How long clients call and faults happen, in virtual time; 12 s by default. The run then heals everything and settles.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:01", "1.00:00:00")]
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(12);

    /// <summary>How many clusters there are; two or three, as the seed says, when null (the default). The standard seed has two.</summary>
    [Range(1, 3)]
    public int? Clusters { get; init; }

    /// <summary>
    /// How many silos each cluster has; one or two, as the seed says, when null (the default). The standard seed has one.
    /// </summary>
    [Range(1, 3)]
    public int? Silos { get; init; }

    /// <summary>How many clients call in each cluster; 2 by default.</summary>
    [Range(1, 1000)]
    public int ClientsPerCluster { get; init; } = 2;

    /// <summary>How many grains of each kind there are; 2 by default. Fewer grains mean more races.</summary>
    [Range(1, 1000)]
    public int GrainsPerKind { get; init; } = 2;

    /// <summary>
    /// True to have the clients call grains of which a majority says who owns them (<see cref="SingleInstanceMode.Quorum"/>), in place of
    /// two of the other classes; false by default. Three clusters then, unless <see cref="Clusters"/> says otherwise, keep the owners
    /// together, each in a store of its own, and in some seeds the grains' states and versions, too.
    /// </summary>
    public bool OwnsByQuorum { get; init; }

    /// <summary>
    /// True to have an operator add clusters, take them out and give them up as lost while clients call and faults happen; false by
    /// default. There are three clusters then, of which the seed names two or three at first, and no volatile grains. Together with
    /// <see cref="OwnsByQuorum"/> grains of that mode and of others are called in one world.
    /// </summary>
    public bool ChangesConfiguration { get; init; }

    /// <summary>
    /// True to have the clients call grains whose classes say where they live (<see cref="HomeAttribute"/>), in place of two of the other
    /// classes; false by default. Together with <see cref="OwnsByQuorum"/> they are of that mode.
    /// </summary>
    public bool HasHomes { get; init; }

    /// <summary>The faults to choose from; all by default. A seed uses some of them.</summary>
    public SimulatedFaults Faults { get; init; } = SimulatedFaults.All;

    /// <summary>True to keep the trace's text, not its hash alone.</summary>
    public bool KeepTrace { get; init; }

    /// <summary>The file to which a failing run writes its trace, where <see cref="KeepTrace"/> keeps it; none by default.</summary>
    public string? TraceFile { get; init; }

    /// <summary>
    /// The situation into which each run is led; where null, one of ten seeds of worlds that are all as the seed says has one.
    /// </summary>
    internal StandardStory? Story { get; init; }

    /// <summary>The rules to switch off, to show that the simulation notices; none by default.</summary>
    internal IReadOnlyList<ProtocolRule> SwitchOff { get; init; } = [];

    /// <summary>Wraps each cluster's messenger, to show that the simulation notices a broken one; nothing by default.</summary>
    public Func<IClusterMessenger, IClusterMessenger>? BreakMessenger { get; init; }

    /// <summary>Wraps each cluster's row store, to show that the simulation notices a broken one; nothing by default.</summary>
    public Func<IConditionalStore, IConditionalStore>? BreakRows { get; init; }

    /// <summary>Wraps the store of the grains' states, to show that the simulation notices a broken one; nothing by default.</summary>
    public Func<IConditionalStore, IConditionalStore>? BreakState { get; init; }
}
