using System.Diagnostics;

namespace Geo;

/// <summary>Which grains the spans of messages are about.</summary>
internal static class GrainTraces
{
    /// <summary>The source of the spans.</summary>
    public const string SourceName = "Geo.Messaging";

    /// <summary>The tag that names the class.</summary>
    public const string ClassTag = "geo.grain_class";

    /// <summary>The message that is being handled is about a grain of this class.</summary>
    public static void Handles(string grainClass)
    {
        if (Activity.Current is { IsAllDataRequested: true, Source.Name: SourceName } span)
        {
            span.SetTag(ClassTag, grainClass);
        }
    }
}
