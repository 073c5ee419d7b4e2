using System.Text;

namespace Geo.Directory.Tests.Silos;

/// <summary>The links of one silo: what is asked over one is answered at once.</summary>
internal sealed class OwnLinks(ClusterId local) : IClusterMessenger
{
    public event Action<ClusterId>? LinkUp;

    public event Action<ClusterId>? LinkDown;

    public HashSet<ClusterId> Linked { get; } = [];

    public List<(string Service, MessageOptions Options, bool WasSent)> Requests { get; } = [];

    public List<string> Sent { get; } = [];

    /// <summary>Services that the other clusters do not have.</summary>
    public HashSet<string> NotServed { get; } = [];

    /// <summary>What answers wait for.</summary>
    public Task Answering { get; set; } = Task.CompletedTask;

    /// <summary>What a refusal waits for.</summary>
    public Func<Task> Refusing { get; set; } = () => Task.CompletedTask;

    public ClusterId LocalCluster => local;

    public bool IsLinked(ClusterId cluster) => Linked.Contains(cluster);

    public void Raise(ClusterId cluster, bool isUp) => (isUp ? LinkUp : LinkDown)?.Invoke(cluster);

    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        Requests.Add((service, options, IsLinked(to)));
        if (!IsLinked(to))
        {
            await Refusing();
            return ClusterReply.Refused("no link");
        }

        await Answering;
        return NotServed.Contains(service) ? ClusterReply.NotServed($"no service {service}") : ClusterReply.Replied(Encoding.UTF8.GetBytes($"{to} heard {Encoding.UTF8.GetString(payload.Span)}"));
    }

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default)
    {
        if (IsLinked(to))
        {
            Sent.Add(service);
        }

        return IsLinked(to);
    }

    public IDisposable Handle(string service, ClusterMessageHandler handler) => throw new NotSupportedException();
}
