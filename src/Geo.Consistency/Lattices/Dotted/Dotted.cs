using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Dotted content with the context of what was seen: a lattice from which things can be removed, without tombstones. As a delta, its
/// content is what was added and its context exactly the dots that were added and removed.
/// </summary>
/// <typeparam name="TContent">The content: <see cref="OrSet{T}"/>, <see cref="OrMap{TKey, TValue}"/> and their kin.</typeparam>
public sealed record Dotted<TContent> : ILattice<Dotted<TContent>>, IDeletable<Dotted<TContent>>
    where TContent : IDotted<TContent>
{
    private Dotted(TContent content, CausalContext context) => (Content, Context) = (content, context);

    /// <inheritdoc/>
    public static Dotted<TContent> Bottom { get; } = new(TContent.Empty, CausalContext.Bottom);

    /// <inheritdoc/>
    public static string TypeName => $"dotted({TContent.TypeName})";

    /// <inheritdoc/>
    public static bool HasDots => true;

    /// <inheritdoc/>
    public bool IsEmpty => Content.IsEmpty;

    /// <summary>The content.</summary>
    public TContent Content { get; }

    /// <summary>What was seen. Equal contexts mean equal contents: that is what anti-entropy compares.</summary>
    public CausalContext Context { get; }

    /// <summary>A delta.</summary>
    /// <param name="dot">The update's dot, in the context even where nothing is added: a removal is an update that replicas have to tell
    /// apart.</param>
    /// <param name="added">The content that the update adds.</param>
    /// <param name="removed">The observed dots that it removes or replaces.</param>
    public static Dotted<TContent> Delta(Dot dot, TContent added, IEnumerable<Dot> removed) =>
        new(added, CausalContext.Of([dot, .. removed]));

    internal static Dotted<TContent> Delta(TContent added, CausalContext exactly) => new(added, exactly);

    /// <summary>The delta that removes all that is observed here; what is written concurrently stays (update wins).</summary>
    public Dotted<TContent> Clear(Dot dot) => Delta(dot, TContent.Empty, Content.Dots);

    Dotted<TContent> IDeletable<Dotted<TContent>>.Delete(LatticeOrigin origin) => Clear(origin.NextDot());

    /// <inheritdoc/>
    public Dotted<TContent> Close(VectorClock through) =>
        Context.IsClosed(through) ? this : new(Content, Context.Close(through));

    /// <inheritdoc/>
    public Dotted<TContent> Merge(Dotted<TContent> other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new(Content.Merge(Context, other.Content, other.Context), Context.Merge(other.Context));
    }

    /// <inheritdoc/>
    public Dotted<TContent> Merge(Dotted<TContent> delta, ReplicaId source, long through)
    {
        ArgumentNullException.ThrowIfNull(delta);
        return new(Content.Merge(Context, delta.Content, delta.Context), Context.Merge(delta.Context, source, through));
    }

    /// <inheritdoc/>
    public void Write(LatticeWriter to)
    {
        Context.Write(to);
        Content.Write(to);
    }

    /// <inheritdoc/>
    public static Dotted<TContent> Read(ref LatticeReader from)
    {
        var context = from.Read<CausalContext>();
        return Checked(from.Read<TContent>(), context);
    }

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to)
    {
        ArgumentNullException.ThrowIfNull(to);
        to.WriteStartObject();
        to.WritePropertyName("context"u8);
        Context.WriteJson(to);
        to.WritePropertyName("content"u8);
        Content.WriteJson(to);
        to.WriteEndObject();
    }

    /// <inheritdoc/>
    public static Dotted<TContent> ReadJson(JsonElement from) =>
        Checked(TContent.ReadJson(from.GetProperty("content"u8)), CausalContext.ReadJson(from.GetProperty("context"u8)));

    private static Dotted<TContent> Checked(TContent content, CausalContext context) =>
        content.Dots.All(context.Contains)
            ? new(content, context)
            : throw LatticeReader.Damaged("holds content that its context has not seen");
}
