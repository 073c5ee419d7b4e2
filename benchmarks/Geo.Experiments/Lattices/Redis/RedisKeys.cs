using System.Globalization;
using StackExchange.Redis;

namespace Geo.Experiments.Lattices.Redis;

/// <summary>Keys in a Redis server, a connection a thread.</summary>
internal sealed class RedisKeys : IKeyed
{
    private readonly RedisServer _server;
    private readonly ConnectionMultiplexer[] _connections;
    private readonly IDatabase[] _threads;
    private readonly Task[][] _sent;
    private readonly int[] _counts;
    private readonly byte[]? _value;

    /// <param name="server">The server; emptied.</param>
    /// <param name="threads">How many threads use it.</param>
    /// <param name="depth">How many commands of a thread are sent before the first reply is awaited.</param>
    /// <param name="value">What an update writes; null where it adds one.</param>
    public RedisKeys(RedisServer server, int threads, int depth, byte[]? value)
    {
        (_server, _value) = (server, value);
        _connections = [.. Enumerable.Range(0, threads).Select(_ => server.ConnectAsync().GetAwaiter().GetResult())];
        _threads = [.. _connections.Select(c => c.GetDatabase())];
        _sent = [.. _threads.Select(_ => new Task[depth])];
        _counts = new int[threads];
        _connections[0].GetServers()[0].FlushAllDatabases();
    }

    public TimeSpan ProcessorTimeElsewhere => _server.ProcessorTime;

    public void Update(int thread, int key) => Send(
        thread, _value is { } value ? _threads[thread].StringSetAsync(Name(key), value) : _threads[thread].StringIncrementAsync(Name(key)));

    /// <returns>0: what was read is known once the commands that were sent with it are.</returns>
    public long Read(int thread, int key)
    {
        Send(thread, _threads[thread].StringGetAsync(Name(key)));
        return 0;
    }

    public async ValueTask<string?> CheckAsync(long updates, int keys)
    {
        for (var thread = 0; thread < _threads.Length; thread++)
        {
            await Task.WhenAll(_sent[thread].Take(_counts[thread]));
        }

        if (_value is not null)
        {
            return null;
        }

        var values = await _threads[0].StringGetAsync([.. Enumerable.Range(0, keys).Select(Name)]);
        var sum = values.Sum(value => (long)value);
        return sum == updates ? null : $"counters sum up to {sum} after {updates} updates";
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var connection in _connections)
        {
            await connection.DisposeAsync();
        }
    }

    private void Send(int thread, Task command)
    {
        var sent = _sent[thread];
        sent[_counts[thread]++] = command;
        if (_counts[thread] == sent.Length)
        {
            Task.WaitAll(sent);
            _counts[thread] = 0;
        }
    }

    private static RedisKey Name(int key) => key.ToString(CultureInfo.InvariantCulture);
}
