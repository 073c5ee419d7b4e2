using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>Facts that are a word, and fit those that are the same word.</summary>
internal sealed class SaidFacts(string word) : IPeerFacts
{
    public ReadOnlyMemory<byte> Own { get; } = Encoding.UTF8.GetBytes(word);

    public string? Refuse(PeerId peer, ClusterId cluster, ReadOnlySpan<byte> facts) => Encoding.UTF8.GetString(facts) switch
    {
        var said when said == word => null,
        "damaged" => throw new GeoSerializationException("the facts are damaged"),
        var said => $"{peer} says '{said}' where '{word}' is said; say the same",
    };
}
