using System.Collections.Concurrent;
using System.Text.Json;
using Geo.Administration;

namespace Geo.Tool.Tests.Kit;

/// <summary>
/// The other cluster, <c>us</c>, as a test has it behave: what it answers to a silo of <c>eu</c>, and whether it can be reached.
/// </summary>
internal sealed class ScriptedCluster : IClusterMessenger
{
    private const string StatusService = "geo.status";

    private static readonly ClusterId Us = new("us");

    private readonly ConcurrentDictionary<string, ClusterMessageHandler> _handlers = new();
    private readonly ConcurrentDictionary<int, bool> _greeted = new();
    private volatile bool _isUp = true;
    private int _asked;

    public event Action<ClusterId>? LinkUp;

    public event Action<ClusterId>? LinkDown;

    public ClusterId LocalCluster { get; } = new("eu");

    /// <summary>What it says of itself; nothing when null.</summary>
    public Dictionary<string, object?>? Summary { get; set; } = new()
    {
        ["node"] = "us/1",
        ["version"] = SiloVersion.Current,
        ["reaches"] = new[] { "eu" },
    };

    /// <summary>What its clock says, in ticks; the time, as far ahead as it is, when null.</summary>
    public long? UtcTicks { get; init; }

    /// <summary>How far its clock is ahead.</summary>
    public TimeSpan ClockAhead { get; set; }

    /// <summary>Whether there is a link to it.</summary>
    public bool IsUp
    {
        get => _isUp;
        set
        {
            _isUp = value;
            (value ? LinkUp : LinkDown)?.Invoke(Us);
        }
    }

    /// <summary>What its answers wait for.</summary>
    public Task Answering { get; set; } = Task.CompletedTask;

    /// <summary>How many questions have come to it.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>Which of its silos were greeted, by the number of the attempt, which goes from one to the next.</summary>
    public IEnumerable<int> Greeted => _greeted.Keys.Order();

    public bool IsLinked(ClusterId cluster) => IsUp && cluster == Us;

    public async ValueTask<ClusterReply> RequestAsync(
        ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
        CancellationToken cancellationToken = default)
    {
        Interlocked.Increment(ref _asked);
        try
        {
            await Answering.WaitAsync(options.Timeout ?? Timeout.InfiniteTimeSpan, cancellationToken);
        }
        catch (TimeoutException)
        {
            return ClusterReply.Unknown("no answer came in time");
        }

        if (!IsUp)
        {
            return ClusterReply.Refused("there is no link");
        }

        if (service != StatusService || Summary is null)
        {
            return ClusterReply.Unknown("no answer came in time");
        }

        var summary = new Dictionary<string, object?>(Summary) { ["utcTicks"] = UtcTicks ?? (DateTimeOffset.UtcNow + ClockAhead).UtcTicks };
        return ClusterReply.Replied(JsonSerializer.SerializeToUtf8Bytes(summary));
    }

    public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default)
    {
        if (service == StatusService)
        {
            _greeted.TryAdd(options.Attempt, true);
        }

        return IsUp;
    }

    public IDisposable Handle(string service, ClusterMessageHandler handler)
    {
        _handlers[service] = handler;
        return new Registration(() => _handlers.TryRemove(service, out _));
    }

    /// <summary>Has it greet the silo, as it does at its interval.</summary>
    public async Task GreetAsync()
    {
        if (_handlers.TryGetValue(StatusService, out var handler))
        {
            await handler(new ClusterMessage(Us, StatusService, default, ExpectsReply: false), CancellationToken.None);
        }
    }

    private sealed class Registration(Action remove) : IDisposable
    {
        public void Dispose() => remove();
    }
}
