namespace Geo.Administration;

/// <summary>A fault that was found.</summary>
/// <param name="Name">Its name, such as <c>region-down</c>: the same for the same kind of fault.</param>
/// <param name="Subject">The cluster, store, peer or class that it is about.</param>
/// <param name="Text">What was seen.</param>
/// <param name="Advice">What to do.</param>
internal sealed record Finding(string Name, string Subject, string Text, string Advice);
