using System.Text.Json;

namespace Geo.Embedded;

/// <summary>What the processes of a multi-cluster must agree on about their values: exceptions and JSON.</summary>
internal sealed class WireSettings
{
    /// <summary>The exceptions that may cross process borders as themselves.</summary>
    public ExceptionTypes Exceptions { get; } = new();

    /// <summary>What the application changes about JSON.</summary>
    public Action<JsonSerializerOptions>? Json { get; set; }
}
