using System.Text;

namespace Geo.Orleans;

/// <summary>
/// Names of observers, the objects that clients and silos let grains call, that hold in every cluster: the name of the home cluster before
/// Orleans' own, which only the home cluster can reach.
/// </summary>
internal static class ObserverNames
{
    private const byte Separator = (byte)'/';

    /// <summary>The type of references to observers in another cluster.</summary>
    public static readonly GrainType Abroad = GrainType.Create("geo.observer");

    /// <summary>The type of all clients and their observers at home.</summary>
    public static readonly GrainType AtHome = GrainType.Create(GrainTypePrefix.ClientPrefix);

    /// <summary>The name by which other clusters know an observer.</summary>
    public static GrainId ToAbroad(ClusterId home, GrainId observer) =>
        new(Abroad, new IdSpan([.. Encoding.ASCII.GetBytes(home.Name), Separator, .. observer.Key.AsSpan()]));

    /// <summary>The home cluster of an observer, and its name there.</summary>
    /// <exception cref="GeoSerializationException">The name is none that <see cref="ToAbroad"/> made.</exception>
    public static (ClusterId Home, GrainId Observer) FromAbroad(GrainId abroad)
    {
        var key = abroad.Key.AsSpan();
        var end = key.IndexOf(Separator);
        return end > 0
            ? (new ClusterId(Encoding.ASCII.GetString(key[..end])), new GrainId(AtHome, new IdSpan(key[(end + 1)..].ToArray())))
            : throw new GeoSerializationException($"'{abroad}' is not the name of an observer in another cluster.");
    }
}
