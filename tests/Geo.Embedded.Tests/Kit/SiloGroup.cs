using System.Collections.Concurrent;
using Geo.Directory;

namespace Geo.Embedded.Tests;

/// <summary>The silos of one cluster in one process: over the same rows, reached by a call.</summary>
internal sealed class SiloGroup
{
    private readonly ConcurrentDictionary<string, SiblingServices> _services = new();
    private readonly ConcurrentDictionary<string, SiloState> _states = new();

    public InMemoryConditionalStore Rows { get; } = new();

    public SiloSurroundings Join(string node)
    {
        _services[node] = new SiblingServices();
        _states[node] = SiloState.Living;
        return new Surroundings(this, node);
    }

    /// <summary>From now on the silo is dead to the others and hears nothing of them.</summary>
    public void Declare(string node, SiloState state) => _states[node] = state;

    private sealed class Surroundings(SiloGroup group, string node) : SiloSurroundings
    {
        public override bool HasNetwork => false;

        public override IConditionalStore Rows(ClusterId cluster) => group.Rows;

        public override SiloNeighbours Neighbours(ClusterId cluster)
        {
            var member = new Member(group, node);
            return new SiloNeighbours(member, member, new ClusterSiloOptions
            {
                Clusters = [],
                LeaseDuration = TimeSpan.FromMilliseconds(600),
                SiblingTimeout = TimeSpan.FromMilliseconds(200),
            });
        }
    }

    private sealed class Member(SiloGroup group, string node) : ISiloMembership, ISiblings
    {
        public string Local => node;

        public SiloMembers Members => new(group._states.Select(member => new SiloMember(member.Key, member.Value)));

        public async ValueTask<ClusterReply> AskAsync(
            string to, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
        {
            if (group._states[to] == SiloState.Dead || group._states[node] == SiloState.Dead)
            {
                await Task.Delay(timeout, cancellationToken);
                return ClusterReply.Unknown("one of them is dead");
            }

            await Task.Yield();
            return await group._services[to].AnswerAsync(service, payload.ToArray(), cancellationToken).AsTask()
                .WaitAsync(timeout, cancellationToken)
                is { } answer
                ? ClusterReply.Replied(answer)
                : ClusterReply.Refused("no such service");
        }

        public void Tell(string to, string service, ReadOnlyMemory<byte> payload)
        {
            var copy = payload.ToArray();
            _ = Task.Run(() => group._services[to].AnswerAsync(service, copy, CancellationToken.None).AsTask());
        }

        public IDisposable Handle(string service, SiblingHandler handler) => group._services[node].Handle(service, handler);
    }
}
