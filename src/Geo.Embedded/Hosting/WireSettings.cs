using System.Text.Json;

namespace Geo.Embedded;

/// <summary>What the processes of a multi-cluster must agree on about their values: exceptions and JSON.</summary>
internal sealed class WireSettings
{
    /// <summary>The exceptions that may cross process borders as themselves.</summary>
    public ExceptionTypes Exceptions { get; } = new();

    /// <summary>What the application changes about JSON.</summary>
    public Action<JsonSerializerOptions>? Json { get; set; }

    /// <summary>
    /// The settings of JSON; made once, because they hold what is known of each type written so far, or set where they were made before.
    /// </summary>
    public JsonSerializerOptions JsonOptions
    {
        get => field ??= JsonGeoSerializer.CreateOptions(Json, new GrainReferenceConverter());
        set;
    }
}
