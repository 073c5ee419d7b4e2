using System.Collections.Concurrent;
using System.Text.Json;
using Geo.Embedded;

namespace Geo.Testing;

/// <summary>
/// What is known of grain classes and of JSON, made once for all silos of all simulations in this process: it depends on the classes alone,
/// and to make it anew at each start of a silo took 40 % of a seed.
/// </summary>
internal static class SharedMetadata
{
    private static readonly ConcurrentDictionary<string, GrainClasses> Classes = new(StringComparer.Ordinal);
    private static readonly ConcurrentDictionary<Action<JsonSerializerOptions>, JsonSerializerOptions> Json = new();
    private static readonly JsonSerializerOptions PlainJson = JsonGeoSerializer.CreateOptions(null, new GrainReferenceConverter());

    public static void Lend(GeoEmbeddedBuilder builder)
    {
        var classes = builder.Grains.Classes;
        builder.Grains.Metadata = Classes.GetOrAdd(
            string.Join(';', classes.Select(c => c.AssemblyQualifiedName)), static (_, types) => new GrainClasses(types), classes);
        builder.Wire.JsonOptions = builder.Wire.Json is { } configure
            ? Json.GetOrAdd(configure, static c => JsonGeoSerializer.CreateOptions(c, new GrainReferenceConverter()))
            : PlainJson;
    }
}
