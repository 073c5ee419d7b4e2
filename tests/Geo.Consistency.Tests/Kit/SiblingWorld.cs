using Geo.Testing;

namespace Geo.Consistency.Tests.Kit;

/// <summary>The silos of one cluster, each with an exchange; what they ask each other is answered at once, unless a test holds it.</summary>
internal sealed class SiblingWorld
{
    private readonly Dictionary<string, SiblingServices> _services = [];
    private readonly Dictionary<string, ReplicaExchange> _exchanges = [];
    private readonly VirtualTime _time = new();
    private readonly string[] _nodes;

    internal SiblingWorld(params string[] nodes)
    {
        _nodes = nodes;
        foreach (var node in nodes)
        {
            var scheduler = new SimulationScheduler();
            var network = new SimulatedNetwork(scheduler, new ChoiceTape("network", new Random(1)));
            _services[node] = new SiblingServices();
            _exchanges[node] = new ReplicaExchange(
                network.Join(new("a"), scheduler.CreateLane(node)), () => [new("a"), new("b")], (_, _) => new(false), _time,
                new Random(node.GetHashCode(StringComparison.Ordinal)));
            _ = new MemoryClaims(
                _exchanges[node], new View(this, node), new Siblings(this, node), _ => true, new Random(node.Length),
                TimeSpan.FromSeconds(1), _time);
        }
    }

    private SiloMembers Members => new(_nodes.Select(node => new SiloMember(node, SiloState.Living)));

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
        for (var tries = 0; tries < 1_000; tries++)
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

        Assert.Fail("It was refused a thousand times.");
    }

    private sealed class View(SiblingWorld world, string local) : ISiloMembership
    {
        public string Local => local;

        public SiloMembers Members => world.Members;
    }

    private sealed class Siblings(SiblingWorld world, string local) : ISiblings
    {
        public async ValueTask<ClusterReply> AskAsync(
            string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
        {
            var answer = await world._services[node].AnswerAsync(service, payload, cancellationToken);
            await world.BeforeAnswer(node);
            return world.AnswerLost(local, node) ? ClusterReply.Unknown("lost") : ClusterReply.Replied(answer!.Value);
        }

        public void Tell(string node, string service, ReadOnlyMemory<byte> payload)
        {
        }

        public IDisposable Handle(string service, SiblingHandler handler) => world._services[local].Handle(service, handler);
    }
}
