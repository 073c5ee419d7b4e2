using System.Text.Json;
using System.Text.Json.Serialization;

namespace Geo.Embedded;

/// <summary>Writes references to grains as the grain's identity, and makes references of what it reads.</summary>
/// <param name="create">Makes a reference of an interface to a grain.</param>
internal sealed class GrainReferenceConverter(Func<Type, GrainKey, object> create) : JsonConverterFactory
{
    public override bool CanConvert(Type typeToConvert) =>
        typeToConvert.IsInterface && typeof(IAddressable).IsAssignableFrom(typeToConvert);

    public override JsonConverter CreateConverter(Type typeToConvert, JsonSerializerOptions options) =>
        (JsonConverter)Activator.CreateInstance(typeof(Typed<>).MakeGenericType(typeToConvert), create)!;

    private sealed class Typed<TInterface>(Func<Type, GrainKey, object> create) : JsonConverter<TInterface>
    {
        public override TInterface Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        {
            try
            {
                return (TInterface)create(typeof(TInterface), GrainKey.Parse(reader.GetString() ?? ""));
            }
            catch (FormatException e)
            {
                throw new JsonException(e.Message, e);
            }
        }

        public override void Write(Utf8JsonWriter writer, TInterface value, JsonSerializerOptions options) =>
            writer.WriteStringValue(value is IGrainReference reference
                ? reference.Key.ToString()
                : throw new JsonException($"{value?.GetType()} is not a reference to a grain; a grain passes this.AsReference<{typeof(TInterface).Name}>()."));
    }
}
