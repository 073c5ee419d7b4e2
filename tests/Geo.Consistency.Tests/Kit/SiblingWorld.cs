using System.Diagnostics;
using Geo.Testing;

namespace Geo.Consistency.Tests.Kit;

/// <summary>
/// The silos of one cluster, each with an exchange; what they ask each other is answered at once, unless a test holds it.
/// </summary>
internal sealed class SiblingWorld
{
    private readonly Dictionary<string, SiblingServices> _services = [];
    private readonly Dictionary<string, ReplicaExchange> _exchanges = [];
    private readonly Dictionary<string, MemoryClaims> _claims = [];
    private Task _late = Task.CompletedTask;
    private readonly VirtualTime _time = new();
    private readonly string[] _nodes;

    internal SiblingWorld(params string[] nodes)
    {
        _nodes = nodes;
        IsGone = (viewer, node) => State(viewer, node) is not (SiloState.Living or SiloState.Leaving);
        foreach (var node in nodes)
        {
            var scheduler = new SimulationScheduler();
            var network = new SimulatedNetwork(scheduler, new ChoiceTape("network", new Random(1)));
            _services[node] = new SiblingServices();
            _exchanges[node] = new ReplicaExchange(
                network.Join(new("a"), scheduler.CreateLane(node)), () => [new("a"), new("b")], (_, _) => new(false), _time,
                new Random(node.GetHashCode(StringComparison.Ordinal)));
            _claims[node] = new MemoryClaims(
                _exchanges[node], new View(this, node), new Siblings(this, node), other => IsGone(node, other), new Random(node[0]),
                TimeSpan.FromSeconds(1), _time);
        }
    }

    /// <summary>Whether one silo knows that another one serves nothing any more; by default those that are no members.</summary>
    internal Func<string, string, bool> IsGone { get; set; }

    private SiloMembers MembersOf(string viewer) => new(_nodes.Select(node => new SiloMember(node, State(viewer, node))));

    /// <summary>What one silo takes another one for.</summary>
    internal Func<string, string, SiloState> State { get; set; } = (_, _) => SiloState.Living;

    /// <summary>Runs before a question arrives at who is asked.</summary>
    internal Func<string, string, Task> BeforeQuestion { get; set; } = (_, _) => Task.CompletedTask;

    /// <summary>Whether a question of one silo never arrives at another, and has no answer.</summary>
    internal Func<string, string, bool> QuestionLost { get; set; } = (_, _) => false;

    /// <summary>Whether a question that is sent now is not waited for: it arrives, perhaps late.</summary>
    internal Func<bool> TimesOut { get; set; } = () => false;

    /// <summary>The end of the last question that was not waited for.</summary>
    internal Task SettledAsync() => _late;

    internal ReplicaExchange ExchangeOf(string node) => _exchanges[node];

    internal Task MoveAwayAsync(string node) => _claims[node].MoveAwayAsync();

    /// <summary>Runs before an answer arrives at who asked.</summary>
    internal Func<string, Task> BeforeAnswer { get; set; } = _ => Task.CompletedTask;

    /// <summary>Whether the answer to one silo's question to another is lost, although it was answered.</summary>
    internal Func<string, string, bool> AnswerLost { get; set; } = (_, _) => false;

    internal ReplicaMemories this[string node] => _exchanges[node].Memories;

    internal Task ClaimAsync(string node, GrainKey key, CancellationToken cancellationToken = default) =>
        _exchanges[node].Claim!(key, cancellationToken);

    /// <summary>Tries until it is not refused for now; a claim of another silo may be on its way.</summary>
    internal static async Task UntilAsync(Func<Task> claim)
    {
        var started = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(started) < TimeSpan.FromSeconds(60))
        {
            try
            {
                await claim();
                return;
            }
            catch (GeoUnavailableException)
            {
                await Task.Yield();
            }
        }

        Assert.Fail("It was refused for a minute.");
    }

    private sealed class View(SiblingWorld world, string local) : ISiloMembership
    {
        public string Local => local;

        public SiloMembers Members => world.MembersOf(local);
    }

    private sealed class Siblings(SiblingWorld world, string local) : ISiblings
    {
        public async ValueTask<ClusterReply> AskAsync(
            string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
        {
            if (world.QuestionLost(local, node))
            {
                return ClusterReply.Unknown("lost");
            }

            var answering = AnswerAsync(node, service, payload.ToArray(), cancellationToken);
            if (world.TimesOut())
            {
                world._late = answering;
                return ClusterReply.Unknown("no answer in time");
            }

            var answer = await answering;
            await world.BeforeAnswer(node);
            return world.AnswerLost(local, node) ? ClusterReply.Unknown("lost") : ClusterReply.Replied(answer!.Value);
        }

        private async Task<ReadOnlyMemory<byte>?> AnswerAsync(
            string node, string service, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
        {
            await world.BeforeQuestion(local, node);
            return await world._services[node].AnswerAsync(service, payload, cancellationToken);
        }

        public void Tell(string node, string service, ReadOnlyMemory<byte> payload)
        {
            if (!world.QuestionLost(local, node))
            {
                world._late = AnswerAsync(node, service, payload.ToArray(), CancellationToken.None);
            }
        }

        public IDisposable Handle(string service, SiblingHandler handler) => world._services[local].Handle(service, handler);
    }
}
