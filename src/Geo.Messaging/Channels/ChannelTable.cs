using System.Collections.Concurrent;
using System.Collections.Frozen;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>The channels of a node by name. A name that is not among them means the default channel, and is logged once.</summary>
internal sealed class ChannelTable
{
    // Names come from code, not from the network, but a bound costs nothing.
    private const int MostUnknownLogged = 64;

    private readonly FrozenDictionary<string, int> _byName;
    private readonly ConcurrentDictionary<string, bool> _unknown = new(StringComparer.Ordinal);
    private readonly ILogger _logger;

    public ChannelTable(MessagingOptions options, ILogger logger)
    {
        All = [.. options.Channels.Prepend(options.DefaultChannel)];
        _byName = All.Select((channel, index) => KeyValuePair.Create(channel.Name, index)).DistinctBy(entry => entry.Key)
            .ToFrozenDictionary(StringComparer.Ordinal);
        _logger = logger;
    }

    /// <summary>All channels; the default one is the first.</summary>
    public ChannelOptions[] All { get; }

    public int Find(string? name)
    {
        if (name is null)
        {
            return 0;
        }

        if (_byName.TryGetValue(name, out var index))
        {
            return index;
        }

        if (_unknown.Count < MostUnknownLogged && _unknown.TryAdd(name, true))
        {
            MessagingLog.UnknownChannel(_logger, name, All[0].Name);
        }

        return 0;
    }

    /// <summary>This node's options for a channel that a remote opened; those of the default channel when it does not know it.</summary>
    public ChannelOptions OptionsOf(string name) => All[_byName.GetValueOrDefault(name)];
}
