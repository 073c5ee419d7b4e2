using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A grain of the standard simulation.</summary>
/// <param name="Type">Its class.</param>
/// <param name="Key">Its key.</param>
internal sealed record StandardGrain(Type Type, string Key)
{
    private readonly string _name = $"{Names[Type]}/{Key}";

    /// <summary>All classes.</summary>
    public static readonly IReadOnlyList<Type> All =
    [
        typeof(OptimisticLog), typeof(PessimisticLog), typeof(MultiLog), typeof(PessimisticLedger), typeof(OptimisticLedger),
        typeof(VolatileLog),
    ];

    /// <summary>Those of which a majority says who owns them.</summary>
    public static readonly IReadOnlyList<Type> OfQuorum = [typeof(QuorumLog), typeof(QuorumLedger)];

    /// <summary>Those that say where they live.</summary>
    public static readonly IReadOnlyList<Type> OfHomes = [typeof(HomedLedger), typeof(HomedLog)];

    /// <summary>Those of which a majority says who owns them, and they where they live.</summary>
    public static readonly IReadOnlyList<Type> OfQuorumHomes = [typeof(HomedQuorumLog), typeof(FollowingLedger)];

    /// <summary>
    /// Two classes that may be called while clusters come and go: where owners are kept by majority those of that mode, or one of them and
    /// one of another mode.
    /// </summary>
    public static IReadOnlyList<Type> Draw(ChoiceTape choices, bool ofQuorum)
    {
        IReadOnlyList<Type> others = [.. All.Where(type => type != typeof(VolatileLog))];
        var first = choices.Next(others.Count);
        var second = (first + 1 + choices.Next(others.Count - 1)) % others.Count;
        var quorum = choices.Next(OfQuorum.Count + 1);
        return !ofQuorum ? [others[first], others[second]]
            : quorum == OfQuorum.Count ? OfQuorum
            : [OfQuorum[quorum], others[first]];
    }

    private static readonly Dictionary<Type, string> Names =
        All.Concat(OfQuorum).Concat(OfHomes).Concat(OfQuorumHomes).ToDictionary(
            t => t, t => ((GrainTypeAttribute)t.GetCustomAttributes(typeof(GrainTypeAttribute), false)[0]).GrainType);

    /// <summary>True where <see cref="CallKind.Read"/> is linearizable.</summary>
    public bool HasLinearizableReads => Type != typeof(OptimisticLedger);

    /// <summary>True where a call that never ends occupies nobody but its caller.</summary>
    public bool MayHang => Type == typeof(OptimisticLog) || Type == typeof(MultiLog);

    /// <summary>The reference by which it is called.</summary>
    public ILogGrain From(IGrainFactory grains) => grains.GetGrain<ILogGrain>(Key, Type.FullName);

    /// <summary>As grains name themselves.</summary>
    public override string ToString() => _name;
}
