using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// The two forms of a lattice, binary and JSON. Equal values have equal forms. <see cref="LatticeForm"/> writes and reads them whole.
/// </summary>
/// <typeparam name="TSelf">The lattice itself.</typeparam>
public interface ILatticeForm<TSelf> : IEquatable<TSelf>
    where TSelf : ILatticeForm<TSelf>
{
    /// <summary>
    /// The type's name in both forms, with its parts, such as <c>or-map(text,dot-counter)</c>: no form is read as another type.
    /// </summary>
    static abstract string TypeName { get; }

    /// <summary>Writes the binary form.</summary>
    void Write(LatticeWriter to);

    /// <summary>Reads the binary form.</summary>
    /// <exception cref="GeoSerializationException">It is damaged or over a limit.</exception>
    static abstract TSelf Read(ref LatticeReader from);

    /// <summary>Writes the JSON form: one JSON value.</summary>
    void WriteJson(Utf8JsonWriter to);

    /// <summary>
    /// Reads the JSON form. Malformed JSON values end in whatever exception the element throws; <see cref="LatticeForm"/> makes one of
    /// it.
    /// </summary>
    static abstract TSelf ReadJson(JsonElement from);
}
