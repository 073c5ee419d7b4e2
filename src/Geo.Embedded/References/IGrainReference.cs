namespace Geo.Embedded;

/// <summary>A reference to a grain, as the runtime sees it.</summary>
internal interface IGrainReference
{
    /// <summary>The grain referred to.</summary>
    GrainKey Key { get; }

    /// <summary>A reference to the same grain under another of its interfaces.</summary>
    object As(Type interfaceType);
}
