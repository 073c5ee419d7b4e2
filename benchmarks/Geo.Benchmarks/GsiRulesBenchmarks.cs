using BenchmarkDotNet.Attributes;
using Geo.Directory;

namespace Geo.Benchmarks;

/// <summary>The rules of the directory without all else: what one round asks them, and the row that a step stores.</summary>
[MemoryDiagnoser]
public class GsiRulesBenchmarks
{
    private const long Round = 42;

    private static readonly ClusterId Us = new("us");
    private static readonly ClusterId Eu = new("eu");
    private static readonly ClusterId Asia = new("asia");

    private readonly MultiClusterConfiguration _configuration = new(1, [Us, Eu, Asia]);
    private readonly ClusterId[] _others = [Eu, Asia];
    private readonly GsiReply[] _replies = [new(Eu, Round, GsiReplyKind.Pass), new(Asia, Round, GsiReplyKind.Pass)];
    private readonly GsiEntry _owned;
    private readonly byte[] _row;

    public GsiRulesBenchmarks()
    {
        _owned = Won();
        _row = _owned.Encode();
    }

    /// <summary>Begin, the answers of two others, the decision, the entry after it.</summary>
    [Benchmark]
    public string? WholeRound()
    {
        var eu = GsiRules.Answer(GsiEntry.Invalid, Eu, Us, _configuration, NodeState.Living);
        var asia = GsiRules.Answer(GsiEntry.Invalid, Asia, Us, _configuration, NodeState.Living);
        return eu.Kind == GsiReplyKind.Pass && asia.Kind == GsiReplyKind.Pass ? Won().Node : null;
    }

    [Benchmark]
    public byte[] WriteRow() => _owned.Encode();

    [Benchmark]
    public string? ReadRow() => GsiEntry.Decode(_row).Node;

    private GsiEntry Won()
    {
        var requested = GsiRules.Begin(GsiEntry.Invalid, "us/1", 7, Round, new RoundBasis(1, 1), DateTimeOffset.UnixEpoch);
        var decision = GsiRules.Decide(requested, Us, Round, _replies, _others, SingleInstanceMode.Optimistic);
        return decision.Kind == GsiDecisionKind.Own
            ? GsiRules.Apply(requested, decision)
            : throw new InvalidOperationException($"The round ended in {decision.Kind}.");
    }
}
