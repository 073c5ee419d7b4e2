namespace Geo.Testing;

/// <summary>What cannot be written of an update.</summary>
internal enum NoteFlaw
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>The update itself, which no message can carry.</summary>
    Update,

    /// <summary>The state that it makes, which no store and no message can carry.</summary>
    State,
}
