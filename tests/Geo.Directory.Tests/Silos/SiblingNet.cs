namespace Geo.Directory.Tests.Silos;

/// <summary>The silos of one cluster as a test has them: all living by the membership, some of which do not answer.</summary>
internal sealed class SiblingNet(TimeProvider time)
{
    private readonly TimeProvider _time = time;
    private readonly Dictionary<string, Member> _members = [];
    private readonly HashSet<string> _crashed = [];
    private readonly HashSet<string> _garbled = [];
    private readonly HashSet<(string, string)> _cuts = [];
    private readonly Dictionary<string, SiloState> _states = [];

    public Member Join(string node)
    {
        _states[node] = SiloState.Living;
        return _members[node] = new Member(this, node);
    }

    /// <summary>From now on the silo does not answer; the membership does not know.</summary>
    public void Crash(string node) => _crashed.Add(node);

    /// <summary>It answers again.</summary>
    public void Return(string node) => _crashed.Remove(node);

    /// <summary>Whether the silo answers what nobody can read.</summary>
    public void Garble(string node, bool garbles) => _ = garbles ? _garbled.Add(node) : _garbled.Remove(node);

    /// <summary>From now on these two do not hear each other.</summary>
    public void Cut(string one, string other) => _cuts.UnionWith([(one, other), (other, one)]);

    /// <summary>From now on the membership says this of the silo.</summary>
    public void Declare(string node, SiloState state) => _states[node] = state;

    private bool Hears(string from, string to) => !_crashed.Contains(to) && !_cuts.Contains((from, to));

    internal sealed class Member(SiblingNet net, string node) : ISiloMembership, ISiblings
    {
        private readonly SiblingServices _services = new();

        public string Local => node;

        /// <summary>How long each question was to be waited for.</summary>
        public List<TimeSpan> Waits { get; } = [];

        public SiloMembers Members => new(net._states.Select(member => new SiloMember(member.Key, member.Value)));

        public async ValueTask<ClusterReply> AskAsync(
            string to, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
        {
            Waits.Add(timeout);
            if (!net.Hears(node, to))
            {
                await Task.Delay(timeout, net._time, cancellationToken);
                return ClusterReply.Unknown("it does not answer");
            }

            await Task.Delay(TimeSpan.FromMilliseconds(1), net._time, cancellationToken);
            if (net._garbled.Contains(to))
            {
                return ClusterReply.Replied(default);
            }

            return await net._members[to]._services.AnswerAsync(service, payload, cancellationToken) is { } answer
                ? ClusterReply.Replied(answer)
                : ClusterReply.Refused("no such service");
        }

        public void Tell(string to, string service, ReadOnlyMemory<byte> payload)
        {
            if (net.Hears(node, to))
            {
                _ = net._members[to]._services.AnswerAsync(service, payload.ToArray(), CancellationToken.None).AsTask();
            }
        }

        public IDisposable Handle(string service, SiblingHandler handler) => _services.Handle(service, handler);
    }
}
