namespace Geo.Experiments.Messaging;

/// <summary>Whose message it is.</summary>
internal enum Traffic
{
    /// <summary>The one that is measured.</summary>
    Foreground,

    /// <summary>What goes on beside it.</summary>
    Background,
}
