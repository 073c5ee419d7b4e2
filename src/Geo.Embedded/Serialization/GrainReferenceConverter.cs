using System.Text.Json;
using System.Text.Json.Serialization;

namespace Geo.Embedded;

/// <summary>
/// Writes references to grains as the grain's identity, and makes references of what it reads: those of the silo or client whose
/// serializer reads, so that the settings of JSON can be shared.
/// </summary>
internal sealed class GrainReferenceConverter : JsonConverterFactory
{
    [ThreadStatic]
    private static Func<Type, GrainKey, object>? _create;

    /// <summary>Reads with the references of one silo or client, until the scope ends.</summary>
    /// <param name="create">Makes a reference of an interface to a grain.</param>
    public static Scope Read(Func<Type, GrainKey, object>? create)
    {
        var outer = new Scope(_create);
        _create = create;
        return outer;
    }

    public override bool CanConvert(Type typeToConvert) =>
        typeToConvert.IsInterface && typeof(IAddressable).IsAssignableFrom(typeToConvert);

    public override JsonConverter CreateConverter(Type typeToConvert, JsonSerializerOptions options) =>
        (JsonConverter)Activator.CreateInstance(typeof(Typed<>).MakeGenericType(typeToConvert))!;

    /// <summary>What the thread read with before.</summary>
    public readonly ref struct Scope(Func<Type, GrainKey, object>? outer)
    {
        private readonly Func<Type, GrainKey, object>? _outer = outer;

        public void Dispose() => _create = _outer;
    }

    private sealed class Typed<TInterface> : JsonConverter<TInterface>
    {
        public override TInterface Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            try
            {
                return (TInterface)_create!(typeof(TInterface), GrainKey.Parse(reader.GetString() ?? ""));
            }
            catch (FormatException e)
            {
                throw new JsonException(e.Message, e);
            }
        }

        public override void Write(Utf8JsonWriter writer, TInterface value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value is IGrainReference reference
                ? reference.Key.ToString()
                : throw new JsonException(
                    $"{value?.GetType()} is not a reference to a grain; a grain passes this.AsReference<{typeof(TInterface).Name}>()."));
    }
}
