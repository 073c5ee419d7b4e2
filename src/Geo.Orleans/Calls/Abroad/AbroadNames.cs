using System.Text;

namespace Geo.Orleans;

/// <summary>
/// Names that hold in every cluster for what each cluster has of its own: its ordinary grains, and the observers that its clients and silos
/// let grains call. The name of the home cluster stands before the type, and the key is as it is at home.
/// </summary>
internal static class AbroadNames
{
    /// <summary>The type of all clients and their observers at home.</summary>
    public static readonly GrainType Observers = GrainType.Create(GrainTypePrefix.ClientPrefix);

    private const char Separator = ':';

    private static ReadOnlySpan<byte> Prefix => "geo.at:"u8;

    /// <summary>The name by which other clusters know a grain or observer.</summary>
    public static GrainId ToAbroad(ClusterId home, GrainId atHome) =>
        new(GrainType.Create($"{Encoding.ASCII.GetString(Prefix)}{home}{Separator}{atHome.Type}"), atHome.Key);

    /// <summary>The home cluster of what a name stands for, and its name there.</summary>
    public static (ClusterId Home, GrainId AtHome) FromAbroad(GrainId abroad) =>
        TryParse(abroad.Type, out var home, out var atHome)
            ? (home, new GrainId(atHome, abroad.Key))
            : throw new GeoSerializationException($"'{abroad}' is not the name of a grain or observer in another cluster.");

    /// <summary>Whether a type is one that <see cref="ToAbroad"/> made.</summary>
    /// <exception cref="GeoSerializationException">It looks like one, but names no cluster or no type.</exception>
    public static bool TryParse(GrainType type, out ClusterId home, out GrainType atHome)
    {
        (home, atHome) = (default, default);
        var text = type.AsSpan();
        if (!text.StartsWith(Prefix))
        {
            return false;
        }

        var rest = text[Prefix.Length..];
        var end = rest.IndexOf((byte)Separator);
        if (end <= 0 || end == rest.Length - 1)
        {
            throw new GeoSerializationException($"'{type}' is not the type of a grain or observer in another cluster.");
        }

        home = new ClusterId(Encoding.ASCII.GetString(rest[..end]));
        atHome = new GrainType(rest[(end + 1)..].ToArray());
        return true;
    }
}
